"use strict";
const { gold, first, step } = require("./tfgold");
const o = id => step === 1 ? { ...first, import: id } : first;
const s = step === 1 ? "" : "2";
gold.resource("nested", "n", { conf: { key: "k" + s, secret: "s" }, items: [{ key: "i" }] }, o("n-1"));
gold.resource("blocks", "b", { rules: [{ key: "r", port: step === 1 ? 1 : 2, steps: [{ key: "s" }] }], limit: { rate: 3 } }, o("b-1"));
gold.resource("types", "t", { str: "s" + s, num: 1.5, words: ["w"], obj: { key: "k" } }, o("t-1"));
gold.resource("keyed", "k", { keyedId: "my-id" + s, value: "v" }, o("my-id"));
gold.resource("bare", "bare", { value: "v" + s }, o("bare"));
