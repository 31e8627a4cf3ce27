import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { initDevStack, upArgs } from './exported-state.ts'
import { findFilesWith } from './find-files-with.ts'
import { createSandbox, requireSuccess } from './sandbox.ts'

const secret = 'swordfish-7f3a'

const program = `
const { pulumi, Thing } = require('./gold')
const config = new pulumi.Config()
new Thing('thing', { value: config.requireSecret('password') })
exports.size = config.requireNumber('size')
exports.region = config.require('region')
exports.variable = process.env.TEAM
exports.file = require('fs').readFileSync(process.env.CERT, 'utf8')
`

test('a stack gets configuration, variables and files from an environment, whose secrets are sealed', async () => {
  const sandbox = createSandbox(undefined, {
    files: {
      'Pulumi.yaml': 'name: shop\nruntime: nodejs\n',
      'index.js': program,
      'environments/base.yaml':
        'values:\n  region: eu\n  environmentVariables: {TEAM: web}\n  files: {CERT: pem}\n',
      'environments/dev.yaml': `imports: [base]\nvalues:\n  pulumiConfig:\n    password: {fn::secret: ${secret}}\n    size: 3\n    region: "\${region}"\n`,
    },
  })
  const runOnDev = async (...args: string[]) => sandbox.run([...args, '-s', 'dev'])
  try {
    await initDevStack(sandbox)
    const none = await runOnDev('config', 'env', 'add', 'none')
    expect(none.err).toContain("error[CONFIG_INVALID]: the environment 'none' does not exist")
    requireSuccess(await runOnDev('config', 'env', 'add', 'dev'))
    expect(requireSuccess(await runOnDev('config', 'env', 'ls')).out).toBe('dev\n')
    requireSuccess(await runOnDev('config', 'set', 'size', '4'))
    requireSuccess(await sandbox.run(upArgs))
    const outputs = requireSuccess(await runOnDev('stack', 'output', '--json')).out
    expect(JSON.parse(outputs)).toEqual({ size: 4, region: 'eu', variable: 'web', file: 'pem' })
    expect(sandbox.listObjects()[0]?.props).toMatchObject({ value: secret })
    expect(findFilesWith(sandbox.home, secret)).toEqual([])
    const file = join(sandbox.program, 'Pulumi.dev.yaml')
    requireSuccess(await runOnDev('config', 'env', 'init', '--yes'))
    expect(readFileSync(file, 'utf8')).not.toContain('shop:size')
    requireSuccess(await sandbox.run(upArgs))
    expect(JSON.parse(requireSuccess(await runOnDev('stack', 'output', '--json')).out)).toEqual(
      JSON.parse(outputs),
    )
    expect(requireSuccess(await runOnDev('config', 'env', 'ls')).out).toBe('dev\nshop/dev\n')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('dev', 'pulumi:acme/prod'))
    const refused = await sandbox.run(upArgs)
    expect(refused.err).toMatch(
      /error\[FEATURE_MISSING\]: \S+Pulumi\.dev\.yaml:\d+:\d+: .*'pulumi:acme\/prod'/,
    )
    writeFileSync(file, text)
    requireSuccess(await runOnDev('config', 'env', 'rm', 'dev'))
    expect((await sandbox.run(upArgs)).exit).not.toBe(0)
  } finally {
    sandbox.remove()
  }
})
