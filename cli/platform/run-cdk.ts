import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import * as z from 'zod'
import { createError } from '../../shared/errors/error.ts'
import type { OutputStream } from '../session/io.ts'
import type { CdkRun, InstallationTarget } from './platform-port.ts'

const root = resolve(import.meta.dirname, '../..')
const cdk = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk')
/**
 * Maximum length of the returned output. A longer output loses its beginning, because its end has
 * the cause of a failure.
 */
const outputCharsMax = 64 * 1024

/**
 * Runs the CDK that is installed in Antichain's `node_modules`. The CDK gets no input, because the
 * caller asks for confirmation before. Ctrl-C reaches the CDK from the terminal, and CloudFormation
 * completes the changes that it began. Throws PLATFORM_CDK_MISSING.
 */
export async function runCdk(
  target: InstallationTarget,
  args: readonly string[],
  cdkOutput: OutputStream,
): Promise<CdkRun> {
  if (!existsSync(cdk))
    throw createError('PLATFORM_CDK_MISSING', `the CDK is not installed at ${cdk}`)
  const assemblyFolder = mkdtempSync(join(tmpdir(), 'antichain-cdk-'))
  try {
    return await new Promise((resolveRun, reject) => {
      const child = spawn(process.execPath, [cdk, ...args, '--output', assemblyFolder], {
        cwd: root,
        env: cdkVariablesOf(target),
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let outputText = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          outputText = (outputText + text).slice(-outputCharsMax)
          cdkOutput.write(text)
        })
      child.on('error', reject)
      child.on('close', code => resolveRun({ exitCode: code ?? 1, output: outputText }))
    })
  } finally {
    rmSync(assemblyFolder, { recursive: true, force: true })
  }
}

const cdkFileForm = z.object({ context: z.record(z.string(), z.unknown()).default({}) })

/** Returns the settings of the installation in cdk.json, as name=value. */
export function readContextSettings(): readonly string[] {
  const { context } = cdkFileForm.parse(JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')))
  const prefix = 'antichain:'
  return Object.entries(context)
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, value]) => `${key.slice(prefix.length)}=${String(value)}`)
}

/**
 * Returns the environment of the CDK. The Node of this process comes first in PATH, because the CDK
 * starts its app as `node`.
 */
function cdkVariablesOf({ env, region }: InstallationTarget): Record<string, string> {
  return {
    ...env,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    PATH: `${dirname(process.execPath)}${delimiter}${env['PATH'] ?? ''}`,
  }
}
