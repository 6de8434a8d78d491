// Short wooden sounds, made here and off until they are switched on.

const STORE = "bower.sound";
const LOUD = "bower.volume";
const USUAL = 6; // of ten

let context = null;

function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // kept for this page only
  }
}

let on = remembered(STORE) === "on";
let volume = Number(remembered(LOUD) ?? USUAL);

export const soundsAreOn = () => on;
export const volumeNow = () => volume;

export function switchSounds() {
  on = !on;
  remember(STORE, on ? "on" : "off");
}

// of: how loud, from 0 to 10.
export function setVolume(of) {
  volume = of;
  remember(LOUD, of);
}

// One knock on wood: a short tone that falls and dies away.
export function knock(pitch, after = 0) {
  const loud = (0.25 * volume) / USUAL;
  if (!on || !loud) return;
  context ??= new AudioContext();
  const start = context.currentTime + after;
  const tone = new OscillatorNode(context, { type: "triangle", frequency: pitch });
  const loudness = new GainNode(context, { gain: loud });
  tone.frequency.exponentialRampToValueAtTime(pitch / 2, start + 0.06);
  loudness.gain.setValueAtTime(loud, start);
  loudness.gain.exponentialRampToValueAtTime(0.001, start + 0.09);
  tone.connect(loudness).connect(context.destination);
  tone.start(start);
  tone.stop(start + 0.1);
}
