// Tells the server that this browser contributes a number to shuffles, so that it waits for it.

import { able } from "./digests.js";

if (able) document.cookie = "throws_in=1; path=/; max-age=31536000; SameSite=Lax";
