// Close codes after which the same socket is not asked for again: logged out, not open to the viewer,
// too many.
export const ENDED = [4401, 4404, 4429];
