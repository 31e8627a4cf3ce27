"use strict";
const { gold5, first, step } = require("./tfgold");
if (step === 1) gold5.resource("thing", "a", { value: "one" }, first);
else gold5.resource("moved", "a", { text: "one" }, { ...first, aliases: [{ type: gold5.type("thing") }] });
