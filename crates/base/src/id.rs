//! Typed ids: numbers that say what they count.

/// Declares newtypes over `u32` that number things of one kind.
#[macro_export]
macro_rules! id {
    ($($(#[$attribute:meta])* $visible:vis $name:ident;)*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
        $visible struct $name(pub u32);

        impl $name {
            /// The place in a list of such things.
            $visible fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

id! {
    /// A component of an arena: a place where moves are made.
    pub ComponentId;
}
