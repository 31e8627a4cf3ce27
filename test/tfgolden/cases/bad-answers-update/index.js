"use strict";
const { thing, step } = require("./tfgold");
thing("a", { value: "v" + step, items: ["x"] });
