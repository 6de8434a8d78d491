// Reads JSON to the letter of its standard and says where it is wrong, the same in every browser;
// a key may not stand twice in one object. Objects have no prototype, so any key is a plain key.

const DEEPEST = 16;
const SPACE = /[ \t\n\r]*/y;
const SCALAR = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

// at: where in the text, counted from 0.
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

  function next(sign) {
    match(SPACE);
    if (text[at] !== sign) return false;
    at += 1;
    return true;
  }

  function refuse(wanted) {
    const found = at < text.length ? `“${String.fromCodePoint(text.codePointAt(at))}”` : "the end of the file";
    throw new JsonError(`${wanted} should stand here, not ${found}.`, at);
  }

  function scalar(wanted) {
    match(SPACE);
    const found = match(SCALAR);
    if (found !== undefined) return JSON.parse(found);
    if (text[at] !== '"') refuse(wanted);
    throw new JsonError("This text does not end on its line, or JSON does not allow it.", at);
  }

  function list(depth) {
    const entries = [];
    if (next("]")) return entries;
    do entries.push(value(depth));
    while (next(","));
    return next("]") ? entries : refuse("A comma or ]");
  }

  function object(depth) {
    const fields = Object.create(null);
    if (next("}")) return fields;
    do {
      match(SPACE);
      const start = at;
      const key = text[at] === '"' ? scalar("A key") : refuse("A key in quotation marks");
      if (key in fields) throw new JsonError(`The key “${key}” stands twice in one object.`, start);
      if (!next(":")) refuse("A colon");
      fields[key] = value(depth);
    } while (next(","));
    return next("}") ? fields : refuse("A comma or }");
  }

  function value(depth) {
    if (depth === DEEPEST) throw new JsonError("This is nested too deeply.", at);
    if (next("{")) return object(depth + 1);
    if (next("[")) return list(depth + 1);
    return scalar("A value");
  }

  const read = value(0);
  match(SPACE);
  if (at < text.length) refuse("Nothing more");
  return read;
}
