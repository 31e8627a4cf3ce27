import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildGoPrograms } from './build-go-programs.ts'
import { repositoryRoot } from './engine.ts'

/** Programs by name. The environment variable `N` is their number of resources. */
const programs = {
  /** N independent dynamic resources. */
  w1: `const pulumi = require('@pulumi/pulumi')
const provider = {
  async create(inputs) { return { id: 'id-' + inputs.n, outs: inputs } },
  async diff(id, olds, news) { return { changes: olds.n !== news.n } },
  async delete() {},
}
class Item extends pulumi.dynamic.Resource { constructor(n, props) { super(provider, n, props) } }
for (let n = 0; n < Number(process.env.N); n++) new Item('item-' + n, { n, text: 'x'.repeat(100) })
`,
  /** N independent resources with a text of BYTES characters. Their provider does nothing. */
  flat: `const pulumi = require('@pulumi/pulumi')
class Item extends pulumi.CustomResource { constructor(n, props, o) { super('null:index:Item', n, props, o) } }
const text = 'x'.repeat(process.env.BYTES || 100)
for (let n = 0; n < Number(process.env.N); n++) new Item('item-' + n, { n, text })
`,
  /** N resources, each depending on the previous one. */
  chain: `const pulumi = require('@pulumi/pulumi')
class Item extends pulumi.CustomResource { constructor(n, props, o) { super('null:index:Item', n, props, o) } }
let previous
for (let n = 0; n < Number(process.env.N); n++)
  previous = new Item('item-' + n, { n }, previous ? { dependsOn: previous } : {})
`,
} as const

/** A program by name. `go`: N resources in Go, with the dependencies of the variable `SHAPE`. */
export type WorkloadName = keyof typeof programs | 'go'

/** Calls `use` with a temporary folder that contains a program, and then removes the folder. */
export async function withProgram<T>(
  name: WorkloadName,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `antichain-bench-${name}-`))
  try {
    writeProgram(name, folder)
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes a program into an existing folder. */
export function writeProgram(name: WorkloadName, folder: string): void {
  if (name === 'go') {
    const { program } = buildGoPrograms()
    const runtime = `{name: go, options: {binary: ${program}}}`
    return writeFileSync(join(folder, 'Pulumi.yaml'), `name: bench\nruntime: ${runtime}\n`)
  }
  writeFileSync(
    join(folder, 'Pulumi.yaml'),
    'name: bench\nruntime: {name: nodejs, options: {typescript: false}}\n',
  )
  writeFileSync(join(folder, 'package.json'), '{"name":"bench","private":true}\n')
  writeFileSync(join(folder, 'index.js'), programs[name])
  symlinkSync(
    join(repositoryRoot, 'test', 'fixtures', 'sdk', 'node_modules'),
    join(folder, 'node_modules'),
  )
}
