// A provider without state, which returns its requests. `boom` ends the process during a call.
const { main } = require('@pulumi/pulumi/provider')

console.error('simple provider starts')
main(
  {
    version: '2.1.0',
    async check(_urn, _olds, news) {
      return { inputs: news, failures: news.bad ? [{ property: 'bad', reason: 'is bad' }] : [] }
    },
    async diff(_id, _urn, olds, news) {
      return { changes: olds.a !== news.a, replaces: [], stables: ['id'] }
    },
    async create(_urn, inputs) {
      if (inputs.boom) {
        console.error('about to crash')
        process.exit(7)
      }
      if (inputs.refuse) throw new Error('refused by name')
      return { id: 'simple-1', outs: { ...inputs, made: true } }
    },
    async read(id, _urn, props) {
      return { id, props }
    },
    async update(_id, _urn, _olds, news) {
      return { outs: { ...news, made: false } }
    },
    async delete() {},
    async invoke(_token, inputs) {
      return { outputs: { got: inputs } }
    },
  },
  process.argv.slice(2),
)
