import type {
  Analysis,
  Analyzer,
  AnalyzerHost,
  Enforcement,
  Remediation,
  Severity,
  Violation,
} from '../../shared/providers/analyzers/analyzer.ts'

/** Creates a policy pack in memory. Functions that are not overridden report nothing. */
export function createPack(
  name: string,
  overrides: Partial<Omit<Analyzer, 'info'>> & { readonly severity?: Severity } = {},
): Analyzer {
  const emptyAnalysis = { violations: [], notApplicable: [] }
  const createPolicy = (kind: 'resource' | 'stack') => ({
    name: `${kind}-rule`,
    enforcement: 'mandatory' as const,
    kind,
    severity: overrides.severity ?? ('' as const),
    schema: { properties: {}, required: [] },
  })
  return {
    info: {
      name,
      version: '1.0.0',
      takesSettings: false,
      policies: [createPolicy('resource'), createPolicy('stack')],
      settings: new Map(),
    },
    path: `./${name}`,
    analyze: () => Promise.resolve(emptyAnalysis),
    remediate: () => Promise.resolve({ remediations: [], notApplicable: [] }),
    analyzeStack: () => Promise.resolve(emptyAnalysis),
    cancel: () => Promise.resolve(),
    close: () => Promise.resolve(),
    ...overrides,
  }
}

/** Returns an analysis with these violations. */
export function createAnalysis(...violations: Partial<Violation>[]): Analysis {
  return {
    violations: violations.map(violation => ({
      policy: 'resource-rule',
      pack: 'pack',
      version: '1.0.0',
      message: 'this is not allowed',
      enforcement: 'mandatory' as Enforcement,
      urn: '',
      severity: '' as Severity,
      ...violation,
    })),
    notApplicable: [],
  }
}

/** Returns one remediation for each override. */
export function createRemediations(...overrides: Partial<Remediation>[]) {
  const remediations = overrides.map(override => ({
    policy: 'resource-rule',
    pack: 'pack',
    version: '1.0.0',
    properties: new Map(),
    diagnostic: '',
    ...override,
  }))
  return { remediations, notApplicable: [] }
}

/** Creates a host of these packs. */
export function createPackHost(packs: readonly Analyzer[]): AnalyzerHost {
  return {
    load: () => Promise.resolve(packs),
    cancelAll: async () => {
      await Promise.all(packs.map(pack => pack.cancel()))
    },
    close: () => Promise.resolve(),
  }
}
