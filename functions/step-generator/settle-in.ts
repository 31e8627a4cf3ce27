import { providerIn } from '../../shared/engine/deployment/left-behind.ts'
import { createSealing } from '../../shared/engine/deployment/sealing.ts'
import type { DeployRequest } from '../../shared/engine/request.ts'
import type { Surroundings } from '../surroundings/surround.ts'
import type { StartedDeployment } from './start.ts'

/** Makes base and providers that earlier lives left known to the surroundings of a life. */
export function settleIn(
  { secrets }: Pick<DeployRequest, 'secrets'>,
  { baseNow }: Pick<Surroundings, 'baseNow'>,
  { base, left }: Pick<StartedDeployment, 'base' | 'left'>,
): void {
  baseNow.current = base
  if (left !== undefined) baseNow.madeBefore = providerIn(left, createSealing(secrets))
}

/** The configuration of a deployment as its first event shows it. */
export function shownConfig({
  config,
}: Pick<DeployRequest, 'config'>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...config].map(([key, { secret, text }]) => [key, secret ? '[secret]' : text]),
  )
}
