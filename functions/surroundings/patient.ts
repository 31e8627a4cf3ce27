import {
  createPatience,
  type PatienceDeps,
  patientPorts,
} from '../../shared/engine/deployment/patience.ts'
import type { GeneratorPorts } from '../step-generator/start.ts'
import type { Asked } from './surround.ts'

type About = Pick<PatienceDeps, 'isWorthIt' | 'said'>

/** The ports of a generator, patient with a store that has a bad moment. */
export function patientGenerator(ports: GeneratorPorts, about: About): GeneratorPorts {
  const patient = createPatience({ clock: ports.clock, random: ports.random, ...about })
  return { ...patientPorts(ports, patient), compact: patient(ports.compact) }
}

/**
 * What is asked, with ports that are patient. What came of a provider's call is recorded by an
 * executor with a patience of its own, which lasts longer and says more.
 */
export function patiently(asked: Asked, about: About): Asked {
  const { platform, ports } = asked
  const patient = createPatience({ clock: platform.clock, random: platform.random, ...about })
  const patientOnes = patientPorts(platform, patient)
  const { lapse, putOutcome, select } = platform.operations
  const operations = { ...patientOnes.operations, lapse, putOutcome, select }
  return {
    ...asked,
    platform: { ...patientOnes, operations },
    ports: { ...patientPorts(ports, patient), compact: patient(ports.compact) },
  }
}
