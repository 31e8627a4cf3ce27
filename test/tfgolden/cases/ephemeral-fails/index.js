"use strict";
const { thing } = require("./tfgold");
thing("a", { password: { __ephemeral: { type: "tfgold_ticket", args: { name: "t" }, attribute: "token" } } });
