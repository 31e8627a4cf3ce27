import type { StepEmitter } from '../../shared/engine/events/step-emitter.ts'
import type { PerformDeps } from '../../shared/engine/executor/performing.ts'
import type { ProviderRegistry } from '../../shared/providers/registry.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import { timestampOf } from '../../shared/state/timestamp.ts'

/** What performing a step asks of the outside, as a run has it. */
export function performingOf(
  { clock }: { readonly clock: ClockPort },
  about: Pick<PerformDeps, 'beforeAgain' | 'views'> & {
    readonly providers: ProviderRegistry
    readonly emitter: StepEmitter
  },
): PerformDeps {
  const { providers, emitter, ...rest } = about
  return {
    ...rest,
    provider: (reference, extension) => providers.instance(reference, extension),
    timestamp: () => timestampOf(clock.now()),
    warn: message => emitter.diagnostic('warning', message),
  }
}
