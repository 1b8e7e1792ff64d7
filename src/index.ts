/**
 * RECAL finds intruders in system audit logs without examples of attacks.
 *
 * The pipeline: `ingestFiles` reads logs into a store, `train` learns from benign events, `calibrate` adapts a model to
 * a host, `detect` writes ranked incidents and report.html, `explain` shows the evidence, `drift` tells whether benign
 * behaviour has changed, and `evaluate` compares variants on labelled data.
 *
 * @packageDocumentation
 */

// Errors and text
export { ERROR_CODES, type ErrorCode } from './base/error-codes.js';
export { EXIT, type ExitCode, RecalError, type Where } from './base/errors.js';
export { printable } from './base/printable.js';
// Alerts and incidents
export type {
  Alert,
  AlertEvidence,
  AlertInteraction,
  AlertMoment,
  Deviation,
  EntityRef,
  Incident,
  LookAlike,
} from './detect/alerts/alert.js';
export type { Explained, RawEvent, RawEvents } from './detect/alerts/explain.js';
// Settings of learning and detection
export type { DetectionConfig } from './detect/detection-config.js';
// Drift
export type { DriftReport } from './detect/drift/drift.js';
export type { DriftFindings, DriftRow } from './detect/drift/drift-report.js';
export type { Change } from './detect/drift/martingale.js';
export type { Novelty } from './detect/drift/novelty.js';
export type { MoveVerdict, ValueCount } from './detect/drift/relation-drift.js';
export type { Advice, DriftVerdict } from './detect/drift/verdict.js';
export type { Detection } from './detect/find-incidents.js';
export type { Threshold } from './detect/threshold/threshold.js';
// Evaluation
export type { EvaluateWatch } from './evaluate/evaluation.js';
export type { LabelMatch } from './evaluate/labels/label-match.js';
export type { AttackNodes } from './evaluate/metrics/attack-metrics.js';
export type { EvaluationResult } from './evaluate/result-schema.js';
export { type EvaluateOptions, evaluate } from './evaluate/run-evaluation.js';
export type { SplitsWatch } from './evaluate/with-splits.js';
// Stores and graphs
export type { Adjacency, NeighbourRows } from './graph/adjacency.js';
export { DIRECTIONS, type DirectionName, type DirectionTable } from './graph/direction.js';
export type { EdgeCounts } from './graph/edges.js';
export { buildGraph, type GraphOptions, ProvenanceGraph } from './graph/provenance-graph.js';
export type { ReducedEdges } from './graph/reduce.js';
export type { RelationNeighbours } from './graph/relation-neighbours.js';
export { ENTITY_TYPES, type Entity, type EntityType, type Event } from './ingest/event.js';
export { expandInputs } from './ingest/sources/inputs.js';

// Triage and health
export { examine } from './live/doctor/examine.js';
export type {
  CheckName,
  DoctorOptions,
  Finding,
  FindingStatus,
  Machine,
  NamedFinding,
} from './live/doctor/finding.js';
// Sending incidents
export type { Delivery } from './live/sinks/deliver.js';
export type { HttpSinkOptions } from './live/sinks/http-sink.js';
export type { Notification, NotificationEntity, NotificationTriage } from './live/sinks/notification.js';
export { openSink } from './live/sinks/open-sink.js';
export type { RetryOptions } from './live/sinks/retry.js';
export { type SendOptions, type SendResult, sendAlerts } from './live/sinks/send-alerts.js';
export type { Sink } from './live/sinks/sink.js';
export {
  type JudgeOptions,
  judgeIncident,
  type SuppressOptions,
  suppress,
  type UnsuppressOptions,
  unsuppress,
} from './live/triage/decide.js';
export {
  type IncidentList,
  type IncidentStatus,
  type ListedIncident,
  type ListFilter,
  listIncidents,
} from './live/triage/list-incidents.js';
export { detectSinceLast, type SinceLastOptions, type SinceLastResult } from './live/triage/since-last.js';
export {
  type Suppression,
  type SuppressionRule,
  type TriageEntry,
  TriageState,
  triagePath,
  type Verdict,
  type VerdictEntry,
} from './live/triage/triage-ledger.js';

// Models
export { describeModelFile, type ModelDescription } from './model/file/describe-model.js';
export type { TensorPlace } from './model/file/tensor-header.js';
export type { EpochReport } from './model/training/trainer.js';
export type { TrainingConfig } from './model/training/training-config.js';
// Pipeline
export {
  type AcceptAgedOptions,
  type AcceptOptions,
  type AcceptResult,
  accept,
  acceptAged,
  type UndoAcceptOptions,
  undoAccept,
} from './pipeline/accept.js';
export {
  type Acceptances,
  type Accepted,
  acceptancesPath,
  type DecisionBy,
  readAcceptances,
} from './pipeline/acceptances.js';
export { type CalibrateOptions, type CalibrateSummary, calibrate } from './pipeline/calibrate.js';
export { type CalibrationSummary, DEFAULT_THRESHOLD } from './pipeline/calibration-summary.js';
export {
  type DetectOptions,
  type DetectResult,
  type DetectThreshold,
  type DetectWatch,
  detect,
  type GraphNodeScores,
} from './pipeline/detect.js';
export { type DriftOptions, type DriftSummary, drift } from './pipeline/drift.js';
export { type ExplainOptions, type Explanation, explain } from './pipeline/explain.js';
export type { Notice, NoticeListener } from './pipeline/notice.js';
export {
  type TrainingPlan,
  type TrainOptions,
  type TrainStage,
  type TrainWatch,
  train,
} from './pipeline/train.js';
export type { RelationSummary, TrainingSummary } from './pipeline/training-summary.js';
export { type AlertFiles, type AlertRun, readAlertFiles } from './report/detection/alert-files.js';
export { type AlertFolders, type FoundIncident, readAlertFolders } from './report/detection/alert-folders.js';
// Simulation
export type {
  AttackSummary,
  FileSummary,
  HostSummary,
  LabelSummary,
  ScenarioManifest,
} from './simulate/manifest.js';
export type { Days, SimulateOptions } from './simulate/options.js';
export { type SimulateProgress, simulate } from './simulate/simulate.js';
export type { Role } from './simulate/timeline.js';
export type { OpenSegments } from './store/duckdb.js';
export { type KnownEntity, readEntities } from './store/entities.js';
export type { EventTable } from './store/event-table.js';
export { type IngestOptions, type IngestResult, ingestFiles } from './store/ingest.js';
export type { LocatedProblem } from './store/ingest-counters.js';
export { type Inspection, inspectFiles } from './store/inspect.js';
export type { KeyTable } from './store/key-table.js';
export { type LoadedEvents, loadEvents } from './store/load.js';
export type { Manifest, Segment, Summary } from './store/manifest.js';
export type { SegmentPart } from './store/segments/segment-parts.js';
export type { StagingOptions, StagingProgress } from './store/stage-files.js';
export { type Selection, Store } from './store/store.js';
