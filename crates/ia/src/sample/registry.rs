//! A family of modules that grows: a registry of callbacks.

/// A registry with this many slots: a callback is added to a slot, deleted, and all that are there are notified, one after the
/// other. The environment may do all of this while it is notified. What is deleted while others are notified makes the buggy
/// version fail; the other one refuses to delete then.
pub fn registry(slots: usize, buggy: bool) -> String {
    let refuse = if buggy { "" } else { "not notifying and " };
    format!(
        "const N = {slots};
module
import call(int%N) : com;
bool used[N], notifying;
export add(i : int%N) = used[i] := true;
export del(i : int%N) = if {refuse}used[i] then used[i] := false;
export notify() =
  if not notifying then {{
    notifying := true;
    int%(N + 1) i;
    while i < N do {{
      if used[i] then {{ call(i); assert(used[i]) }};
      i := i + 1
    }};
    notifying := false
  }};
"
    )
}
