/** Completion scripts in real shells. */
import { chmodSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSandbox, launcher, requireSuccess, type Sandbox } from './sandbox.ts'
import { describeWithDebianPackage } from './toolchains.ts'

const urn = 'urn:pulumi:dev::small::pulumi:pulumi:Stack::small-dev'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = createSandbox('small', { sdk: false })
  mkdirSync(join(sandbox.program, 'bin'))
  symlinkSync(launcher, join(sandbox.program, 'bin/antichain'))
  for (const stack of ['prod', 'dev']) requireSuccess(await sandbox.run(['stack', 'init', stack]))
  const resources = [{ urn, type: 'pulumi:pulumi:Stack', custom: false }]
  const input = JSON.stringify({ version: 3, deployment: { manifest: {}, resources } })
  requireSuccess(await sandbox.run(['stack', 'import'], { input }))
})
afterEach(() => sandbox.remove())

/** Runs a script with a shell. Returns the lines of its output. */
async function runScript(shell: string, script: string): Promise<readonly string[]> {
  const file = join(sandbox.program, 'script')
  writeFileSync(file, `#!/usr/bin/env ${shell}\n${script}`)
  chmodSync(file, 0o755)
  const { PATH = '' } = sandbox.createEnvironment()
  const env = { PATH: `${join(sandbox.program, 'bin')}${delimiter}${PATH}` }
  return requireSuccess(await sandbox.run([], { command: file, env }))
    .out.trim()
    .split('\n')
}

test('bash completes commands, stacks and URNs, which it splits at colons', {
  timeout: 60_000,
}, async () => {
  const script = `
source <(antichain gen-completion bash)
try() {
  COMP_LINE=$1 COMP_POINT=\${#1} COMP_WORDS=("\${@:2}") COMP_CWORD=$(($# - 2))
  _antichain
  printf '%s ' "\${COMPREPLY[@]}"
  echo
}
try 'antichain stack sel' antichain stack sel
try 'antichain stack select ' antichain stack select ''
try 'antichain state delete urn:pu' antichain state delete urn : pu
`
  expect(await runScript('bash', script)).toEqual([
    'select ',
    'dev prod ',
    urn.slice('urn:'.length),
  ])
})

describeWithDebianPackage('completions of zsh', 'zsh', () => {
  test('completes stacks', { timeout: 60_000 }, async () => {
    const script = `
autoload -Uz compinit; compinit -u -D
source <(antichain gen-completion zsh)
compadd() { shift; print -l -- "$@" }
words=(antichain stack select ''); CURRENT=4; _antichain
`
    expect(await runScript('zsh', script)).toEqual(['dev', 'prod'])
  })
})

describeWithDebianPackage('completions of fish', 'fish', () => {
  test('completes commands with their descriptions', { timeout: 60_000 }, async () => {
    const script = `
antichain gen-completion fish | source
complete -C 'antichain stack unsel'
`
    expect(await runScript('fish', script)).toEqual([
      'unselect\tClear the selected stack of the project',
    ])
  })
})
