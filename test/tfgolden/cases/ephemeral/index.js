"use strict";
const { thing, step } = require("./tfgold");
const ticket = { __ephemeral: { type: "tfgold_ticket", args: { name: "t" }, attribute: "token" } };
thing("a", { size: step, password: ticket });
