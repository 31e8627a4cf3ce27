"use strict";
const { gold5, first, step } = require("./tfgold");
const [v, z] = [[1, 1], [2, 1], [2, 1], [2, 2], [2, 2]][step - 1];
gold5.resource("ident", "a", { value: "v" + v, zone: "z" + z }, first);
