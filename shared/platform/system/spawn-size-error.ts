import { type DeployError, createError } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'

type SpawnRequest = Parameters<ProcessesPort['spawn']>[0]

/**
 * Maximum size of one argument or variable on Linux, in bytes (`MAX_ARG_STRLEN`). The zero byte at
 * its end counts too.
 */
const linuxTextBytesMax = 131_072

/**
 * Returns the error for a process whose arguments and variables are larger than the system allows
 * (E2BIG). The message names the largest one, and never its value, because it may be secret.
 */
export function createSpawnSizeError(
  { command, args, env }: SpawnRequest,
  cause: unknown,
): DeployError {
  const texts = [
    ...args.map((text, index) => ({ label: `the argument ${index + 1}`, text })),
    ...Object.entries(env).map(([name, value]) => ({
      label: `the variable ${name}`,
      text: `${name}=${value}`,
    })),
  ].map(({ label, text }) => ({ label, sizeBytes: Buffer.byteLength(text) + 1 }))
  const [largest] = texts.toSorted((a, b) => b.sizeBytes - a.sizeBytes)
  const { label, sizeBytes } = largest ?? { label: 'nothing', sizeBytes: 0 }
  const totalBytes = texts.reduce((sum, text) => sum + text.sizeBytes, 0)
  const reason =
    process.platform === 'linux' && sizeBytes > linuxTextBytesMax
      ? `${label} has ${sizeBytes} bytes, and the system allows ${linuxTextBytesMax}`
      : `the system does not allow arguments and variables of ${totalBytes} bytes in total; ` +
        `the largest is ${label} with ${sizeBytes} bytes`
  return createError('PLUGIN_FAILED', `cannot start '${command}': ${reason}`, {
    cause,
    hint: label.startsWith('the variable PULUMI_CONFIG')
      ? 'It has the configuration. Move large values to files, and configure their paths.'
      : 'Shorten it, or remove it from the environment of this command.',
  })
}
