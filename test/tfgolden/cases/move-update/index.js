"use strict";
const { thing, gold, first, step } = require("./tfgold");
if (step === 1) { const a = thing("a", { value: "one", zone: "z" }); thing("b", { value: a.arn }); }
else { const c = gold.resource("moved", "c", { name: "a", text: "two" }, { ...first, aliases: [{ type: gold.type("thing"), name: "a" }] }); thing("b", { value: c.id }); }
