const { Thing, step } = require('./gold')
const a = new Thing('a', { value: 1 })
if (step !== 2) new Thing('b', { value: step, replace: step === 4 ? 2 : 1 }, { dependsOn: [a] })
new Thing('c', { value: 1, replace: step === 4 ? 2 : 1 })
