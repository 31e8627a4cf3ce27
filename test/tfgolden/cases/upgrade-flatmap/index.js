"use strict";
const { thing, step } = require("./tfgold");
thing("a", step === 1 ? { val: "one", size: "5" } : { value: "one", size: 5 });
