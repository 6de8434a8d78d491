// A strict JSON parser whose errors give the position, the same in every browser, and which refuses duplicate
// keys. Objects have no prototype, so that keys such as "__proto__" are ordinary ones.

const MAX_DEPTH = 16;
const SPACE = /[ \t\n\r]*/y;
const SCALAR = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

// at: the index in the text.
export class JsonError extends Error {
  constructor(message, at) {
    super(message);
    this.at = at;
  }
}

export function readJson(text) {
  let at = 0;

  function match(pattern) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  }

  function skip(sign) {
    match(SPACE);
    if (text[at] !== sign) return false;
    at += 1;
    return true;
  }

  function refuse(wanted) {
    const found = at < text.length ? `“${String.fromCodePoint(text.codePointAt(at))}”` : "the end of the file";
    throw new JsonError(`Expected ${wanted} here, not ${found}.`, at);
  }

  function scalar(wanted) {
    match(SPACE);
    const found = match(SCALAR);
    if (found !== undefined) return JSON.parse(found);
    if (text[at] !== '"') refuse(wanted);
    throw new JsonError("This text does not end on its line, or contains something that JSON does not allow.", at);
  }

  function list(depth) {
    const entries = [];
    if (skip("]")) return entries;
    do entries.push(value(depth));
    while (skip(","));
    return skip("]") ? entries : refuse("a comma or ]");
  }

  function object(depth) {
    const fields = Object.create(null);
    if (skip("}")) return fields;
    do {
      match(SPACE);
      const start = at;
      const key = text[at] === '"' ? scalar("a key") : refuse("a key in quotation marks");
      if (key in fields) throw new JsonError(`The key “${key}” appears twice in one object.`, start);
      if (!skip(":")) refuse("a colon");
      fields[key] = value(depth);
    } while (skip(","));
    return skip("}") ? fields : refuse("a comma or }");
  }

  function value(depth) {
    if (depth === MAX_DEPTH) throw new JsonError("This is nested too deeply.", at);
    if (skip("{")) return object(depth + 1);
    if (skip("[")) return list(depth + 1);
    return scalar("a value");
  }

  const read = value(0);
  match(SPACE);
  if (at < text.length) refuse("the end of the file");
  return read;
}
