const { pulumi, Thing, Group, step } = require('./gold')
const g = new Group('g', {})
new Thing(
  'a',
  { value: 1 },
  step < 2 ? {} : { parent: g, aliases: [{ parent: pulumi.rootStackResource }] },
)
new Thing('b', { value: 1 }, step < 2 ? { parent: g } : { aliases: [{ parent: g }] })
new Thing(
  'c',
  { value: 1 },
  step < 3
    ? { parent: g }
    : { parent: g, aliases: [{ stack: 'other' }, { project: 'none' }, { name: 'zz' }] },
)
new Thing('d', { value: 1 }, step < 3 ? {} : { parent: g, aliases: [{ parent: null }] })
