const { Thing, Group, step } = require('./gold')
const a = new Thing('a', { value: step })
if (step > 1) {
  const n = new Thing('n', { value: 1 })
  if (step === 2) new Thing('d', { value: 1 }, { dependsOn: [n] })
  if (step === 3) new Thing('e', { value: n.serial })
  if (step === 4) new Thing('f', { value: 1 }, { deletedWith: n })
  if (step === 5) new Thing('h', { value: 1 }, { parent: n })
  if (step === 6) new Thing('i', { value: 1 }, { replaceWith: [n] })
  if (step === 7) new Group('j', {}, { dependsOn: [n] })
}
