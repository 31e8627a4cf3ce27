import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import type { OutputStream } from '../session/io.ts'
import type { CdkRun, InstallationTarget } from './platform-port.ts'

const root = resolve(import.meta.dirname, '../..')
/** What is kept of what was said, from its end: a reason stands there. */
const keptChars = 64 * 1024

/**
 * Runs the CDK's command line of our own packages. It gets no input: whoever asks a person does so
 * before. Ctrl-C reaches it from the terminal, and CloudFormation goes on with what it has begun.
 */
export async function runCdk(
  where: InstallationTarget,
  args: readonly string[],
  shown: OutputStream,
): Promise<CdkRun> {
  const output = mkdtempSync(join(tmpdir(), 'antichain-cdk-'))
  try {
    return await new Promise((settled, failed) => {
      const child = spawn(
        process.execPath,
        [join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk'), ...args, '--output', output],
        { cwd: root, env: cdkVariablesOf(where), stdio: ['ignore', 'pipe', 'pipe'] },
      )
      let captured = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          captured = (captured + text).slice(-keptChars)
          shown.write(text)
        })
      child.on('error', failed)
      child.on('close', code => settled({ exit: code ?? 1, output: captured }))
    })
  } finally {
    rmSync(output, { recursive: true, force: true })
  }
}

/** The app is started as `node`: ours must be the first. */
function cdkVariablesOf({ env, region }: InstallationTarget): Record<string, string> {
  return {
    ...env,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    PATH: `${dirname(process.execPath)}${delimiter}${env['PATH'] ?? ''}`,
  }
}
