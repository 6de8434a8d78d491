// Short wooden sounds, made here and off until they are switched on.

const STORE = "bower.sound";

let context = null;

function remembered() {
  try {
    return localStorage.getItem(STORE) === "on";
  } catch {
    return false;
  }
}

let on = remembered();

export const soundsAreOn = () => on;

export function switchSounds() {
  on = !on;
  try {
    localStorage.setItem(STORE, on ? "on" : "off");
  } catch {
    // kept for this page only
  }
}

// One knock on wood: a short tone that falls and dies away.
export function knock(pitch, after = 0) {
  if (!on) return;
  context ??= new AudioContext();
  const start = context.currentTime + after;
  const tone = new OscillatorNode(context, { type: "triangle", frequency: pitch });
  const loudness = new GainNode(context, { gain: 0.25 });
  tone.frequency.exponentialRampToValueAtTime(pitch / 2, start + 0.06);
  loudness.gain.setValueAtTime(0.25, start);
  loudness.gain.exponentialRampToValueAtTime(0.001, start + 0.09);
  tone.connect(loudness).connect(context.destination);
  tone.start(start);
  tone.stop(start + 0.1);
}
