// The kinds of figures in the course. For each kind, `model` computes the true curve and the estimates from the
// values that the reader sets, and `draw` draws the picture with its handles.

import { bells, boxes } from "./gaussians.js";
import { modes } from "./modes.js";
import { plane } from "./plane.js";
import { paint } from "./painting.js";
import { rivals } from "./rivals.js";
import { sweep } from "./sweep.js";

/** @import { Figure } from "./figure_parts.js" */

/** @type {Record<string, Figure>} */
export const FIGURES = { bells, boxes, modes, plane, paint, rivals, sweep };
