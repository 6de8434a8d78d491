// The time that is left, as clocks show it: "9:05", "1:00:00", and from two days on "2 days".
export function timeText(seconds) {
  const whole = Math.ceil(seconds);
  if (whole >= 2 * 86400) return `${Math.floor(whole / 86400)} days`;
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}
