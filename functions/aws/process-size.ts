import { taskSizeVariables } from '../../shared/config/aws-resource-names.ts'
import type { UsageCounts } from '../../shared/records/usage.ts'

/** The size of a function or of a task of the long pool, by which its time is billed. */
export type ProcessSize =
  | { readonly kind: 'function'; readonly memoryGb: number }
  | { readonly kind: 'task'; readonly cpus: number; readonly memoryGb: number }

/** Maximum time of the start of an environment, in ms, that Lambda bills with its first call. */
export const initMsMax = 10_000

/** Processor units of Fargate for one processor. */
const unitsPerCpu = 1_024

/** Reads the size of this process from the variables of Lambda, or from those of a task. */
export function readProcessSize(env: Readonly<Record<string, string | undefined>>): ProcessSize {
  const functionMb = Number(env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'])
  if (functionMb > 0) return { kind: 'function', memoryGb: functionMb / 1024 }
  const cpus = Number(env[taskSizeVariables.cpuUnits] ?? 0) / unitsPerCpu
  return { kind: 'task', cpus, memoryGb: Number(env[taskSizeVariables.memoryMb] ?? 0) / 1024 }
}

/** Returns the billed usage of the time of one call of a function, or of one round of a task. */
export function computeTimeUsage(size: ProcessSize, elapsedMs: number): Partial<UsageCounts> {
  if (size.kind === 'function') return { calls: 1, gbSeconds: size.memoryGb * (elapsedMs / 1_000) }
  const hours = elapsedMs / 3_600_000
  return { taskCpuHours: size.cpus * hours, taskGbHours: size.memoryGb * hours }
}
