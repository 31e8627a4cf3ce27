import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type CommandBench, createCommandBench } from '../integration/backends/command-bench.ts'
import { describeWithCommands } from './toolchains.ts'
import { installYamlPlugins } from './yaml-plugins.ts'

const slowMs = 900_000
const modules = resolve(import.meta.dirname, '../fixtures/sdk/node_modules')
const gold = resolve(import.meta.dirname, '../golden/provider')

const project = `name: shop
runtime: yaml
config:
  size:
    type: integer
    default: 3
resources:
  first:
    type: gold:index:Thing
    properties:
      value: hello \${size}
  second:
    type: gold:index:Thing
    properties:
      value: \${first.value}
    options:
      protect: true
outputs:
  name: \${second.value}
`

describeWithCommands('convert', [['go', 'version']], () => {
  let bench: CommandBench
  beforeEach(() => {
    bench = createCommandBench()
    const path = [installYamlPlugins(), gold, process.env['PATH']].join(delimiter)
    bench.env['PATH'] = path
    // Plugins inherit the variables of the process.
    for (const name of ['PATH', 'ANTICHAIN_USER_PATH']) vi.stubEnv(name, path)
    vi.stubEnv('GOLD_NODE_PATH', modules)
    vi.stubEnv('GOLD_CLOUD', join(bench.root, 'cloud'))
    writeFileSync(join(bench.root, 'Pulumi.yaml'), project)
  }, slowMs)
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(bench.root, { recursive: true, force: true })
  })

  const convert = async (...args: string[]): Promise<void> => {
    const { exit, err } = await bench.run('convert', '--generate-only', ...args)
    if (exit !== 0) throw new Error(err)
    expect(err).not.toMatch(/Error|Warning/)
  }

  test(
    "translates a program with Pulumi's own converter and language host, and the result deploys",
    async () => {
      await convert('--from', 'yaml', '--language', 'pcl', '--out', 'pcl')
      const program = readFileSync(join(bench.root, 'pcl/program.pp'), 'utf8')
      expect(program).toContain('resource second "gold:index:Thing"')
      await convert('--from', 'yaml', '--language', 'yaml', '--out', 'yaml')
      const runConverted = async (...args: string[]): Promise<string> => {
        const { exit, out, err } = await bench.run('-C', join(bench.root, 'yaml'), ...args)
        if (exit !== 0) throw new Error(`${args.join(' ')}: ${err}`)
        return out
      }
      await runConverted('stack', 'init', 'dev')
      await runConverted('up', '--yes', '--skip-preview')
      const outputs: unknown = JSON.parse(await runConverted('stack', 'output', '--json'))
      expect(outputs).toEqual({ name: 'hello 3' })
      expect(readdirSync(join(bench.root, 'cloud/objects'))).toHaveLength(2)
    },
    slowMs,
  )
})
