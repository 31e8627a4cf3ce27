import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import type { OutputStream } from '../session/io.ts'
import type { CdkRun, InstallationTarget } from './platform-port.ts'

const root = resolve(import.meta.dirname, '../..')
/** Characters that are kept from the end of the output, where the cause of a failure is. */
const keptChars = 64 * 1024

/**
 * Runs the CDK's command line from the project's packages. It has no input, because the caller asks
 * for confirmation before. Ctrl-C reaches it from the terminal, and CloudFormation completes the
 * changes that it began.
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

/** The CDK starts the app as `node`, so the project's Node must come first. */
function cdkVariablesOf({ env, region }: InstallationTarget): Record<string, string> {
  return {
    ...env,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    PATH: `${dirname(process.execPath)}${delimiter}${env['PATH'] ?? ''}`,
  }
}
