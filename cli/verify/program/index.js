'use strict'
// A chain of resources. The create of each takes `delayMs`, and depends on the previous resource.
const pulumi = require('@pulumi/pulumi')

class Link extends pulumi.dynamic.Resource {
  constructor(name, props, options) {
    const provider = {
      create: async inputs => {
        await new Promise(done => setTimeout(done, inputs.delayMs))
        return { id: inputs.label, outs: inputs }
      },
    }
    super(provider, name, props, options)
  }
}

const config = new pulumi.Config()
const delayMs = config.requireNumber('delayMs')
const limit = config.get('createLimit')
const options = limit === undefined ? {} : { customTimeouts: { create: limit } }
let previousId = pulumi.output('')
for (let index = 1; index <= config.requireNumber('count'); index++) {
  const link = new Link(
    `link-${index}`,
    { label: `link-${index}`, delayMs, previous: previousId },
    options,
  )
  previousId = link.id
}
exports.last = previousId
