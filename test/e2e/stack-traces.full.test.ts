import { expect, test } from 'vitest'
import { expectEqualTraces, typescriptFiles } from './traces-program.ts'

/** A program in ECMAScript modules. */
const moduleFiles = {
  'package.json': '{"name":"traces","type":"module"}',
  'Pulumi.yaml': 'name: traces\nruntime: {name: nodejs, options: {typescript: false}}\n',
  'index.js': `import { writeFileSync } from 'node:fs'
import * as pulumi from '@pulumi/pulumi'
import collector from './collect-traces.cjs'
class Component extends pulumi.ComponentResource {
  constructor(name) { super('traces:index:Component', name) }
  run(take) { take() }
}
const component = new Component('component')
const text = await new Promise(resolve => component.urn.apply(urn => resolve(urn + new Error('applied').stack)))
const result = await collector.collectTraces([component])
writeFileSync(process.env.TRACES_FILE, JSON.stringify([text, result]))
`,
}

test.each([
  ['TypeScript', typescriptFiles],
  ['ECMAScript modules', moduleFiles],
])(
  'a program in %s has the same stack traces with and without remembered frames',
  async (_language, files) => {
    const mappedFrames = await expectEqualTraces(files)
    expect(mappedFrames.withoutMemory).toBeGreaterThan(0)
    expect(mappedFrames.withMemory).toBe(0)
  },
)
