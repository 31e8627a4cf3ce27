const { pulumi, Thing, step } = require('./gold')
const a = new Thing('a', { value: 1 })
const mk = (n, id) =>
  step === 2
    ? new Thing(n, { value: 'v' })
    : new (class extends pulumi.CustomResource {
        constructor() {
          super('gold:index:Thing', n, { serial: undefined, value: undefined }, { id })
        }
      })()
if (step < 4) mk('r', step === 3 ? 'e-2' : 'e-1')
;new (class extends pulumi.CustomResource {
  constructor() {
    super('gold:index:Thing', 'n', { serial: undefined, value: undefined }, { id: a.id, parent: a })
  }
})()
