import { describeRoundTrips } from './backend-round-trip.ts'

describeRoundTrips([
  ['file', 'project'],
  ['file', 'legacy'],
])
