// Close codes after which the same socket is not asked for again; what people are told of them, each
// page has in its own words.
export const LOGGED_OUT = 4401;
export const NOT_HERE = 4404;
export const TOO_MANY = 4429;
export const ENDED = [LOGGED_OUT, NOT_HERE, TOO_MANY];
