import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findAntichain } from './engine.ts'
import type { RunMeasurement } from './measure-run.ts'
import { createNullEngine } from './null-engine.ts'
import { printReport } from './print-report.ts'

/** A program of ten resources of @pulumi/aws, in TypeScript, which ts-node compiles. */
const files = {
  'Pulumi.yaml': 'name: bench\nruntime: nodejs\n',
  'package.json': JSON.stringify({
    private: true,
    dependencies: {
      '@pulumi/pulumi': '3.270.0',
      '@pulumi/aws': '7.48.0',
      '@types/node': '24.19.2',
      typescript: '5.9.3',
    },
  }),
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      strict: true,
      target: 'es2020',
      module: 'commonjs',
      moduleResolution: 'node',
    },
    files: ['index.ts'],
  }),
  'index.ts': `import * as aws from '@pulumi/aws'
const buckets = ['a', 'b', 'c', 'd', 'e'].map(name => new aws.s3.Bucket(name, { tags: { name } }))
export const names = buckets.map(
  (bucket, index) => new aws.ssm.Parameter(\`p\${index}\`, { type: 'String', value: bucket.id }).name,
)
`,
}

/**
 * Measures a TypeScript program of ten resources up to the first registration of a custom resource:
 * without and with compiled code from an earlier run. The packages come from the registry. One
 * unmeasured run of each variant comes first: the first one checks the types, and the second one
 * stores its compiled code.
 */
export async function benchProgramStart(repetitions: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-bench-program-start-'))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
      cwd: folder,
      stdio: 'inherit',
    })
    const antichain = findAntichain()
    const checkedFolder = join(folder, 'checked')
    const options = { project: 'bench', pkg: 'null', config: {}, creates: true, checkedFolder }
    const compiledFolder = join(folder, 'compiled')
    for (const variant of [options, { ...options, compiledFolder }]) {
      const { exitCode } = await (await createNullEngine(antichain, folder, variant))()
      if (exitCode !== 0) throw new Error(`the program in ${folder} failed with ${exitCode}`)
    }
    const endsAtFirst = { ...options, endsAtFirst: true }
    const runNull = await createNullEngine(antichain, folder, endsAtFirst)
    const runWithCompiled = await createNullEngine(antichain, folder, {
      ...endsAtFirst,
      compiledFolder,
    })
    const nullRuns: RunMeasurement[] = []
    const compiledRuns: RunMeasurement[] = []
    for (let index = 0; index < repetitions; index++) {
      nullRuns.push(await runNull())
      compiledRuns.push(await runWithCompiled())
    }
    printReport({ bench: 'program-start', keepsCompiled: false }, nullRuns)
    printReport({ bench: 'program-start', keepsCompiled: true }, compiledRuns)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
