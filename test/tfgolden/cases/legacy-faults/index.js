"use strict";
const { gold5, first, step } = require("./tfgold");
gold5.resource("legacy", "a", step === 1 ? { note: "n", shout: "x", ports: [{ num: 1 }] } : { note: "n2", shout: "Y", ports: [{ num: 1 }, { num: 2, proto: "p" }] }, first);
