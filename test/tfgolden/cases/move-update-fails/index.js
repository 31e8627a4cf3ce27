"use strict";
const { thing, gold, first, step } = require("./tfgold");
if (step === 1) thing("a", { value: "one" });
else gold.resource("moved", "a", { text: "two" }, { ...first, aliases: [{ type: gold.type("thing") }] });
