// All scripts of a solo table's page, sent as one file.

import "../js/table.js";
import "../js/keys.js";
import "../js/sounds.js";
import "../js/closing.js";
