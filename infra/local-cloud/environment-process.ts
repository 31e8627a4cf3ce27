import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { handlerName } from '../assets.ts'
import {
  type IsolatedProcess,
  type IsolatedProcessOptions,
  startIsolatedProcess,
} from './isolated-process.ts'
import { taskRoot } from './sandbox.ts'

/** The options of an environment. */
export interface EnvironmentOptions
  extends Pick<
    IsolatedProcessOptions,
    'folder' | 'variables' | 'supervisor' | 'onLine' | 'sandbox'
  > {
  /** The function's full name, including the installation's name. */
  readonly name: string
  readonly arn: string
  /** The read-only folder of the function's bundle. */
  readonly bundleFolder: string
  readonly memoryMb: number
}

/** Starts the process of an environment, which polls the Runtime API at `address` for calls. */
export function startEnvironmentProcess(
  options: EnvironmentOptions,
  address: string,
): IsolatedProcess {
  const script = join(import.meta.dirname, 'runtime.mjs')
  return startIsolatedProcess({ ...options, script, variables: variablesOf(options, address) })
}

/** Returns the Lambda variables on which functions rely, and the variables of the options. */
function variablesOf(
  { name, bundleFolder, memoryMb, variables, sandbox }: EnvironmentOptions,
  address: string,
): Record<string, string> {
  return {
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    LAMBDA_TASK_ROOT: sandbox === undefined ? bundleFolder : taskRoot,
    _HANDLER: handlerName,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_RUNTIME_API: address,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: name,
    AWS_LAMBDA_LOG_STREAM_NAME: randomUUID(),
    ...variables,
  }
}
