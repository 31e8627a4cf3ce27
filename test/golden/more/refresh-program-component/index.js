const { Thing, Group } = require("./gold");
const a = new Thing("a", { value: 1 });
const b = new Thing("b", { value: 1 });
new Group("g", {}, { dependsOn: [a] });
