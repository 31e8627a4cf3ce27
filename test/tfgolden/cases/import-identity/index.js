"use strict";
const { gold } = require("./tfgold");
gold.resource("ident", "a", { value: "v1", region: "r2" }, { import: JSON.stringify({ name: "a", region: "r2" }) });
