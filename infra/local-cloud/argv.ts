import { parseArgs } from 'node:util'
import { createError, messageOf } from '../../shared/errors/error.ts'

/** The options of `npm run cloud`. */
export interface CloudArgs {
  readonly help: boolean
  readonly deploy: string | undefined
  readonly stack: string
  readonly destroy: boolean
  readonly executors: string
  readonly apiPort: number
  readonly servicePort: number
  readonly webhookPort: number
  readonly tidySeconds: number
  readonly killsPerMinute: number
  readonly verbose: boolean
}

/** The help text of the options. */
export const cloudHelp = `npm run cloud -- [options]

  --deploy <folder>        deploy the program of a folder, then exit
  --destroy                with --deploy: destroy its resources afterwards
  --stack <name>           the stack of --deploy (default "dev")
  --api-port <n>           port of the API (default: a free one)
  --service-port <n>       port for Pulumi's own command line (default: a free one)
  --webhook-port <n>       port of webhooks (default: a free one)
  --executors <n>          concurrent executors, at least 2 (default 3)
  --tidy-seconds <n>       interval between calls of compaction and scaler (default 3600)
  --kills-per-minute <n>   kill functions at random (default 0)
  --verbose                print the functions' output too
  --help                   print this help`

/** Parses the command line. Throws CLI_USAGE. */
export function parseCloudArgs(args: readonly string[]): CloudArgs {
  const values = parseOptions(args)
  const { deploy, stack, destroy, executors, verbose, help } = values
  if (destroy && deploy === undefined) throw createUsageError('--destroy requires --deploy')
  return {
    help,
    deploy,
    stack,
    destroy,
    executors,
    verbose,
    apiPort: parseBoundedNumber('api-port', values['api-port'], 0, 65_535),
    servicePort: parseBoundedNumber('service-port', values['service-port'], 0, 65_535),
    webhookPort: parseBoundedNumber('webhook-port', values['webhook-port'], 0, 65_535),
    tidySeconds: parseBoundedNumber('tidy-seconds', values['tidy-seconds'], 1, 86_400),
    killsPerMinute: parseBoundedNumber('kills-per-minute', values['kills-per-minute'], 0, 600),
  }
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        deploy: { type: 'string' },
        stack: { type: 'string', default: 'dev' },
        destroy: { type: 'boolean', default: false },
        executors: { type: 'string', default: '3' },
        'api-port': { type: 'string', default: '0' },
        'service-port': { type: 'string', default: '0' },
        'webhook-port': { type: 'string', default: '0' },
        'tidy-seconds': { type: 'string', default: '3600' },
        'kills-per-minute': { type: 'string', default: '0' },
        verbose: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (thrown) {
    throw createUsageError(messageOf(thrown).split('. ')[0] ?? '')
  }
}

function parseBoundedNumber(name: string, text: string, minimum: number, maximum: number): number {
  if (/^\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum) return Number(text)
  throw createUsageError(
    `--${name} must be a whole number from ${minimum} to ${maximum}, not '${text}'`,
  )
}

function createUsageError(message: string): Error {
  return createError('CLI_USAGE', message, { hint: '`npm run cloud -- --help` lists the options.' })
}
