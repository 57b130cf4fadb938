// The type of the tables in this folder: one function per step type.
import type { ActionOf, ActionType } from '../../../model/page/actions.ts'
import type { ActionRun, Step } from '../run.ts'

export type DoStep<Type extends ActionType> = (
  run: ActionRun,
  action: ActionOf<Type>,
  step: Step,
) => Promise<void>

export type StepTable<Types extends ActionType = ActionType> = { readonly [Type in Types]: DoStep<Type> }
