const { pulumi, Thing, Group, note, step } = require('./gold')
const h = k =>
  new pulumi.ResourceHook(k, async a => {
    note(
      a.urn,
      k +
        ' ' +
        a.name +
        ' ' +
        JSON.stringify([a.newInputs && a.newInputs.value, a.oldInputs && a.oldInputs.value]),
    )
  })
const hooks = {}
for (const k of [
  'beforeCreate',
  'afterCreate',
  'beforeUpdate',
  'afterUpdate',
  'beforeDelete',
  'afterDelete',
])
  hooks[k] = [h(k)]
const a = new Thing('a', { value: step, replace: step > 1 ? 2 : 1 }, { hooks })
new Thing('b', { value: 1, replaceDelete: step > 2 ? 1 : 0 }, { hooks })
if (step < 3) new Thing('x', { value: 1 }, { hooks })
new Group(
  'g',
  { v: step },
  { hooks: { beforeCreate: hooks.beforeCreate, afterUpdate: hooks.afterUpdate } },
)
