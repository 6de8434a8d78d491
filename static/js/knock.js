// Short knocks on wood, synthesised with Web Audio; off until the player switches sound on.

const SOUND_KEY = "bower.sound";
const VOLUME_KEY = "bower.volume";
const DEFAULT_VOLUME = 6; // from 0 to 10

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
    // storage may be blocked: then it is kept for this page only
  }
}

let on = remembered(SOUND_KEY) === "on";
let volume = Number(remembered(VOLUME_KEY) ?? DEFAULT_VOLUME);

export const soundsAreOn = () => on;
export const volumeNow = () => volume;

export function switchSounds() {
  on = !on;
  remember(SOUND_KEY, on ? "on" : "off");
}

// level: from 0 to 10.
export function setVolume(level) {
  volume = level;
  remember(VOLUME_KEY, level);
}

// One knock: a short tone that falls by an octave and fades. after: the delay in seconds.
export function knock(pitch, after = 0) {
  const loud = (0.25 * volume) / DEFAULT_VOLUME;
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
