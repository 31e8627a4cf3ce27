const { Thing, step } = require('./gold')
const a = new Thing('a', { value: 1, replace: step })
new Thing('b', { value: a.serial })
