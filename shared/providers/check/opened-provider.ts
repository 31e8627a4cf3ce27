import type { Provider } from '../provider.ts'
import type { CheckedSchema } from './checked-schema.ts'
import type { CoreCheckSubject } from './core-checks/recorded-calls.ts'

/** A running provider that is checked. */
export interface OpenedProvider {
  /** The protocol and its version, for the report. */
  readonly description: string
  readonly provider: Provider
  /** Requests the schema. Undefined: the provider has none. Throws ProviderError. */
  readonly readSchema: () => Promise<CheckedSchema | undefined>
  /** Requests the end of running calls. Returns the failure that the provider reports. */
  readonly stop: () => Promise<string | undefined>
  /** Returns the recorded calls of a type by its token, for the checks of Terraform's core. */
  readonly getCoreCheckSubject?: (token: string) => CoreCheckSubject | undefined
  readonly close: () => Promise<void>
}

/** Starts the provider. A later call replaces a process that has ended. */
export type ProviderOpener = () => Promise<OpenedProvider>
