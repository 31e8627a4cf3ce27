import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { expect } from 'vitest'
import { initDevStack } from './exported-state.ts'
import { createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'

/** A module that is compiled with a source map. */
const mappedSource = `exports.run = (take: () => void): void => { [1].forEach(() => take()) }`

/** The JSON that the program writes: a trace of an apply, and what its `collectTraces` returns. */
type WrittenTraces = readonly [
  applied: string,
  collected: { readonly traces: readonly string[]; readonly copiedFrames: number },
]

/**
 * Returns a trace without the frames of Node's own queues. Those depend on time: a callback that
 * follows an expired timer runs below `listOnTimeout` only if another timer expires with it.
 */
function removeQueueFrames(trace: string): string {
  const isQueue = /\(node:internal\/(?:process\/task_queues|timers):/u
  return trace
    .split('\n')
    .filter(line => !isQueue.test(line))
    .join('\n')
}

/**
 * Previews the program and returns the traces that it wrote. `remembers`: whether the texts of
 * stack frames are remembered for later traces.
 */
async function previewTraces(sandbox: Sandbox, remembers: '0' | '1'): Promise<WrittenTraces> {
  const tracesFile = join(sandbox.program, '..', 'traces.json')
  const env = { ANTICHAIN_REMEMBER_FRAMES: remembers, TRACES_FILE: tracesFile }
  requireSuccess(await sandbox.run(['preview', '--stack', 'dev'], { env }))
  return JSON.parse(readFileSync(tracesFile, 'utf8')) as WrittenTraces
}

/** A program in TypeScript, which ts-node compiles. */
export const typescriptFiles = {
  'index.ts': `import { writeFileSync } from 'node:fs'
import * as pulumi from '@pulumi/pulumi'
const { collectTraces } = require('./collect-traces.js')

interface Item {
  readonly name: string
}
class Component extends pulumi.ComponentResource {
  readonly items: Item[] = []
  constructor(name: string) {
    super('traces:index:Component', name)
  }
  run(take: () => void): void {
    take()
    this.items.push({ name: 'item' })
  }
}

const component = new Component('component')
component.urn.apply(async urn => {
  const text = urn + new Error('applied').stack
  const result = await collectTraces([component, require('./mapped.js')])
  writeFileSync(process.env['TRACES_FILE'] ?? '', JSON.stringify([text, result]))
})
`,
}

/**
 * Previews a program that collects stack traces, without and with remembered frames. Expects equal
 * traces. Returns the numbers of frames that a repeated trace maps. `sdkModules`: the
 * `node_modules` of the program. Absent: those of the tests.
 */
export async function expectEqualTraces(
  files: Readonly<Record<string, string>>,
  sdkModules?: string,
): Promise<{ readonly withoutMemory: number; readonly withMemory: number }> {
  const sandbox = createSandbox('traces', {
    files,
    ...(sdkModules === undefined ? {} : { sdkModules }),
  })
  try {
    const options = { loader: 'ts', minify: true, sourcemap: 'inline' } as const
    const { code } = transformSync(mappedSource, options)
    writeFileSync(join(sandbox.program, 'mapped.js'), code)
    for (const name of ['collect-traces', 'child'])
      cpSync(join(sandbox.program, `${name}.js`), join(sandbox.program, `${name}.cjs`))
    await initDevStack(sandbox)
    const expected = await previewTraces(sandbox, '0')
    const actual = await previewTraces(sandbox, '1')
    expect(expected[1].traces.length).toBeGreaterThan(200)
    expect(removeQueueFrames(actual[0])).toBe(removeQueueFrames(expected[0]))
    expect(actual[1].traces).toHaveLength(expected[1].traces.length)
    for (const [index, trace] of expected[1].traces.entries())
      expect(removeQueueFrames(actual[1].traces[index] ?? '')).toBe(removeQueueFrames(trace))
    return { withoutMemory: expected[1].copiedFrames, withMemory: actual[1].copiedFrames }
  } finally {
    sandbox.remove()
  }
}
