"use strict";
const { gold, first, step } = require("./tfgold");
if (step === 1) gold.resource("ident", "a", { value: "1" }, first);
gold.resource("ident", "b", { zone: step < 2 ? "z1" : "z2" }, first);
gold.resource("ident", "c", { zone: "z1" }, first);
